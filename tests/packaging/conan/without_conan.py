# SPDX-License-Identifier: MIT
"""Runs the steps of `conan create` on the recipe without Conan, with stand-ins for the parts of Conan that it uses.

    without_conan.py <output folder> <version of forebay>
"""

import fnmatch
import os
import runpy
import shutil
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))


class ConanFile:
    def __init__(self, scratch):
        self.recipe_folder = HERE
        self.export_sources_folder = self.source_folder = os.path.join(scratch, "sources")
        self.package_folder = os.path.join(scratch, "package")
        self.settings = types.SimpleNamespace(os="Linux", arch="x86_64", compiler="gcc", build_type="Release")
        self.info = types.SimpleNamespace(clear=lambda: None)
        self.cpp_info = types.SimpleNamespace(properties={})
        self.cpp_info.set_property = self.cpp_info.properties.__setitem__


def copy(_conanfile, pattern, source, destination):
    """Copies the files whose paths match `pattern`, and keeps their relative paths."""
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), source)
            if fnmatch.fnmatch(path, pattern):
                target = os.path.join(destination, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(os.path.join(source, path), target)


def stand_in(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


required = []
stand_in("conan", ConanFile=ConanFile)
stand_in("conan.tools")
stand_in("conan.tools.files", copy=copy)
stand_in("conan.tools.build", check_min_cppstd=lambda _conanfile, standard: required.append(standard))

scratch, version = sys.argv[1:]
recipe = runpy.run_path(os.path.join(HERE, "conanfile.py"))["ForebayConan"](scratch)
for step in "set_version", "export_sources", "validate", "package_id", "package", "package_info":
    getattr(recipe, step)()

assert recipe.version == version, "the recipe says %s, the headers say %s" % (recipe.version, version)
assert required == [20], "the recipe does not require C++20"
assert recipe.cpp_info.properties["cmake_target_name"] == "forebay::forebay"
assert os.path.exists(os.path.join(recipe.package_folder, "licenses", "LICENSE")), "the licence was not packaged"
