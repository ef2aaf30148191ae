// SPDX-License-Identifier: MIT
//
// The reference becomes dark or light when the reader has chosen that in the guide.

(function () {
  const name = Object.keys(localStorage).find((key) => key.endsWith(".__palette"));
  const choice = name ? localStorage.getItem(name) : null;
  if (choice && choice !== localStorage.getItem("choice-in-guide")) {
    localStorage.setItem("choice-in-guide", choice);
    DoxygenAwesomeDarkModeToggle.userPreference = JSON.parse(choice).color.scheme === "slate";
  }
  DoxygenAwesomeDarkModeToggle.init();
  DoxygenAwesomeFragmentCopyButton.init();
})();
