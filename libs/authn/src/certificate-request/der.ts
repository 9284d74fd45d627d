import type { AsnType } from 'asn1js';
import { asn1Library } from './asn1-library.ts';

/** Malformed ASN.1 bytes. The messages are those of Go's encoding/asn1 where it has them. */
export class Asn1Error extends Error {
  override readonly name = 'Asn1Error';
}

const universal = 1;
const contextSpecific = 3;
const bitString = 3;
const sequenceAndSet: readonly number[] = [16, 17];

/** Parses a value in the Distinguished Encoding Rules of ASN.1 (X.690, section 10). Throws Asn1Error. */
export function readDer(bytes: Buffer): AsnType {
  const { offset, result } = decode(bytes);
  if (offset === -1) throw new Asn1Error(`asn1: syntax error: ${result.error}`);
  if (offset < bytes.length) throw new Asn1Error('asn1: syntax error: trailing data');
  requireDer(result);
  return result;
}

function decode(bytes: Buffer): ReturnType<ReturnType<typeof asn1Library>['fromBER']> {
  try {
    return asn1Library().fromBER(bytes);
  } catch (error) {
    // The library throws for some strings of a wrong length, and returns all its other errors.
    throw new Asn1Error('asn1: syntax error: a value cannot be decoded', { cause: error });
  }
}

/** The members of a sequence or a set; none for other values, some of which the library leaves without a value block. */
export function membersOf({ idBlock, valueBlock }: AsnType): AsnType[] {
  return idBlock.isConstructed && 'value' in valueBlock && Array.isArray(valueBlock.value)
    ? (valueBlock.value as AsnType[])
    : [];
}

/** The content bytes of a value, without its tag and length. */
export function contentOf({ idBlock, lenBlock, valueBeforeDecodeView }: AsnType): Buffer {
  return Buffer.from(valueBeforeDecodeView).subarray(idBlock.blockLength + lenBlock.blockLength);
}

/*
 * The library reads the Basic Encoding Rules, which allow several encodings of a value, and accepts a value that is longer than its container. A
 * signed value must have one encoding. Attributes (`[0]`) are not checked further, as in crypto/x509.
 */
function requireDer(value: AsnType): void {
  const { idBlock, lenBlock } = value;
  if (lenBlock.isIndefiniteForm) throw new Asn1Error('asn1: syntax error: indefinite length found (not DER)');
  if (lenBlock.blockLength !== bytesOfLength(lenBlock.length))
    throw new Asn1Error('asn1: structure error: non-minimal length');
  if (value.valueBeforeDecodeView.length !== sizeOf(value)) throw new Asn1Error('asn1: syntax error: data truncated');
  if (!idBlock.isConstructed && idBlock.tagClass === universal && idBlock.tagNumber === bitString)
    requirePadding(value);
  if (!idBlock.isConstructed || idBlock.tagClass === contextSpecific) return;
  if (idBlock.tagClass === universal && !sequenceAndSet.includes(idBlock.tagNumber))
    throw new Asn1Error('asn1: structure error: a string in parts (not DER)');
  const members = membersOf(value);
  if (members.reduce((size, member) => size + sizeOf(member), 0) !== lenBlock.length)
    throw new Asn1Error('asn1: syntax error: data truncated');
  for (const member of members) requireDer(member);
}

/** The unused bits of the last byte must be 0. */
function requirePadding(value: AsnType): void {
  const content = contentOf(value);
  const [unused = 8] = content;
  const last = content.length > 1 ? (content.at(-1) ?? 0) : 0;
  if (unused > 7 || (unused > 0 && content.length === 1) || (last & ((1 << unused) - 1)) !== 0)
    throw new Asn1Error('asn1: syntax error: invalid padding bits in BIT STRING');
}

const sizeOf = ({ idBlock, lenBlock }: AsnType): number => idBlock.blockLength + lenBlock.blockLength + lenBlock.length;

function bytesOfLength(length: number): number {
  let bytes = 1;
  if (length >= 0x80) for (let rest = length; rest > 0; rest = Math.floor(rest / 0x100)) bytes++;
  return bytes;
}
