/** Bits of the code of each byte, and last of the end of a text. RFC 7541, appendix B. */
// prettier-ignore
const codeLengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13,
  6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6,
  6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23,
  23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
  23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23,
  22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21,
  22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];

/** Two branches, or a byte. */
type Node = [Node | number | undefined, Node | number | undefined];

/** The codes are canonical: of one length they follow each other in the order of their bytes. */
function codeTree(): Node {
  const root: Node = [undefined, undefined];
  const symbols = codeLengths.map((length, symbol) => ({ length, symbol }));
  symbols.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  let code = 0;
  let previous = 0;
  for (const { length, symbol } of symbols) {
    code *= 2 ** (length - previous);
    previous = length;
    insert(root, code++, length, symbol);
  }
  return root;
}

function insert(root: Node, code: number, length: number, symbol: number): void {
  let node = root;
  for (let bit = length - 1; bit > 0; bit--) {
    const branch = (code >>> bit) & 1;
    const next = node[branch];
    if (typeof next === 'object') node = next;
    else node = node[branch] = [undefined, undefined];
  }
  node[code & 1] = symbol;
}

let tree: Node | undefined;

/** Reads a Huffman-coded text. What is left over at its end is padding. Throws Error on a code that no byte has. */
export function decodeHuffman(bytes: Uint8Array): string {
  const root = (tree ??= codeTree());
  const text: number[] = [];
  let node = root;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const next = node[(byte >>> bit) & 1];
      if (typeof next === 'object') {
        node = next;
        continue;
      }
      if (next === undefined || next === 256) throw new Error('broken Huffman code');
      text.push(next);
      node = root;
    }
  }
  return Buffer.from(text).toString('latin1');
}
