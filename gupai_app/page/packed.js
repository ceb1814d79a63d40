// What a file holds in packed parts: deflated, and four bytes written as five letters, as Python's `base64.b85encode`
// does, with "," instead of "<", so that no part is taken for HTML.
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < LETTERS.length; digit++) DIGITS[LETTERS.charCodeAt(digit)] = digit;

export async function unpacked(text) {
  const groups = Math.ceil(text.length / 5);
  const words = new DataView(new ArrayBuffer(4 * groups));
  for (let group = 0; group < groups; group++) {
    let word = 0;
    for (let place = 5 * group; place < 5 * group + 5; place++) word = 85 * word + (place < text.length ? DIGITS[text.charCodeAt(place)] : 84);
    words.setUint32(4 * group, word);
  }
  const bytes = new Uint8Array(words.buffer, 0, Math.floor((4 * text.length) / 5));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
