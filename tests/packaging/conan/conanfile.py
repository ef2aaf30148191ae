# SPDX-License-Identifier: MIT
"""Packages the checkout that contains this recipe: `conan create tests/packaging/conan`."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy

required_conan_version = ">=2.0"


class ForebayConan(ConanFile):
    name = "forebay"
    description = "Bounded, closable blocking queues for input pipelines, with a coordinator and queue runners"
    license = "MIT"
    topics = ("queue", "concurrency", "threads", "pipeline", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def checkout(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        with open(os.path.join(self.checkout(), "include", "forebay", "version.hpp")) as header:
            numbers = re.findall(r"^#define FOREBAY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header.read(), re.MULTILINE)
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in "include/*", "LICENSE":
            copy(self, pattern, self.checkout(), self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        headers = os.path.join(self.source_folder, "include")
        copy(self, "*", headers, os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "forebay")
        self.cpp_info.set_property("cmake_target_name", "forebay::forebay")
        self.cpp_info.set_property("pkg_config_name", "forebay")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
