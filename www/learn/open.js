// Opens the lesson of a page in the simulator; without JavaScript the page is read instead.
location.replace(document.getElementById('open').href);
