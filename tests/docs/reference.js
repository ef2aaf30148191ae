// SPDX-License-Identifier: MIT
//
// The reference becomes dark or light when the reader has chosen that in the guide.

(function () {
  const site = new URL("..", location).pathname;
  const choice = localStorage.getItem(site + ".__palette"); // where the theme of the guide stores it
  if (choice && choice !== localStorage.getItem(site + "choice-in-guide")) {
    localStorage.setItem(site + "choice-in-guide", choice);
    DoxygenAwesomeDarkModeToggle.userPreference = JSON.parse(choice).color.scheme === "slate";
  }
  DoxygenAwesomeDarkModeToggle.init();
  DoxygenAwesomeFragmentCopyButton.init();
})();
