"use strict";
(async () => { // the libraries are packed; each runs as a script whose digest the policy of the page names
for (const packed of document.querySelectorAll("script[type='text/gzip']")) {
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  const text = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  document.head.append(Object.assign(document.createElement("script"), { textContent: await text }));
}
