# SPDX-License-Identifier: MIT
#
# A port that packages the checkout that contains it: `vcpkg install forebay --overlay-ports=tests/packaging/vcpkg`. In
# a registry, SOURCE_PATH comes from vcpkg_from_github or vcpkg_from_git instead; the rest is the same.

get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

set(VCPKG_BUILD_TYPE release) # headers only: a debug build would install the same

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DFOREBAY_BUILD_TESTS=OFF -DFOREBAY_BUILD_EXAMPLES=OFF
                                                           -DFOREBAY_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/forebay)
vcpkg_fixup_pkgconfig()

file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
