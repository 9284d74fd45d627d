import { DerError, DerReader, tags } from './der.ts';

const outsidePrintable = /[^A-Za-z0-9'()+,\-./ :=?*&]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Go reads a certificate only when every string in its names is valid for its type. */
const checks: ReadonlyMap<number, (content: Buffer) => boolean> = new Map([
  [tags.t61String, () => true],
  [tags.printableString, (content) => !outsidePrintable.test(content.toString('latin1'))],
  [tags.utf8String, isUtf8],
  [tags.bmpString, isBmp],
  [tags.ia5String, (content) => content.every((byte) => byte < 0x80)],
  [tags.numericString, (content) => !/[^0-9 ]/.test(content.toString('latin1'))],
]);

/** Throws DerError unless the bytes are a distinguished name. */
export function checkName(element: Buffer): void {
  const names = new DerReader(element).inner(tags.sequence);
  while (!names.isAtEnd) {
    const set = names.inner(tags.set);
    while (!set.isAtEnd) {
      const attribute = set.inner(tags.sequence);
      attribute.objectIdentifier();
      const { tag, content } = attribute.any();
      if (checks.get(tag)?.(content) !== true) throw new DerError('an invalid string in a name');
    }
  }
}

function isUtf8(content: Buffer): boolean {
  try {
    utf8.decode(content);
    return true;
  } catch {
    return false;
  }
}

function isBmp(content: Buffer): boolean {
  if (content.length % 2 !== 0) return false;
  const end =
    content.length >= 2 && content.readUInt16BE(content.length - 2) === 0 ? content.length - 2 : content.length;
  for (let at = 0; at < end; at += 2) {
    const unit = content.readUInt16BE(at);
    const isReserved = unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef) || (unit >= 0xd800 && unit <= 0xdfff);
    if (isReserved) return false;
  }
  return true;
}
