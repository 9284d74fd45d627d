import { createHash } from 'node:crypto';
import { byteLength, errorMessage, field, isDNS1123Label, isDNS1123Subdomain, type FieldError } from '@apichain/meta';
import { EncryptedDEKSourceType, EncryptedObject } from './generated/kms.ts';

export { EncryptedDEKSourceType, EncryptedObject };

/** The members of a value other than its data: how to obtain the key. */
export type DEKSource = Omit<EncryptedObject, 'encryptedData'>;

const annotationsMaxSize = 32 * 1024;
const keyIDMaxSize = 1024;
const encryptedDEKSourceMaxSize = 1024;

/** Key ids are never shown, only their hashes. */
export const hashIfNotEmpty = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Throws Error when the key id is invalid. */
export function validateKeyID(keyID: string): void {
  if (keyID === '') throw new Error('keyID is empty');
  const size = byteLength(keyID);
  if (size > keyIDMaxSize) throw new Error(`keyID is ${size} bytes, which exceeds the max size of ${keyIDMaxSize}`);
}

function annotationKeyProblems(key: string): FieldError[] {
  const path = 'annotations';
  if (key === '') return [field.required(path, '')];
  const name = key.endsWith('.') ? key.slice(0, -1) : key;
  const subdomain = isDNS1123Subdomain(name);
  if (subdomain.length > 0) return [field.invalid(path, name, subdomain.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    return [field.invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  return labels.flatMap((label) => {
    const problems = isDNS1123Label(label);
    return problems.length === 0 ? [] : [field.invalid(path, label, problems.join(','))];
  });
}

function validateAnnotations(annotations: Readonly<Record<string, Buffer>>): void {
  const problems = Object.keys(annotations)
    .map(annotationKeyProblems)
    .filter((found) => found.length > 0)
    .map(field.aggregateFieldErrors);
  const total = Object.entries(annotations).reduce((sum, [k, v]) => sum + byteLength(k) + v.length, 0);
  if (total > annotationsMaxSize) {
    problems.push(`total size of annotations is ${total}, which exceeds the max size of ${annotationsMaxSize}`);
  }
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}

function validateEncryptedDEKSource(source: Buffer): void {
  if (source.length === 0) throw new Error('encrypted DEK source is empty');
  if (source.length > encryptedDEKSourceMaxSize) {
    throw new Error(
      `encrypted DEK source is ${source.length} bytes, which exceeds the max size of ${encryptedDEKSourceMaxSize}`,
    );
  }
}

function explained(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(`failed to validate ${what}: ${errorMessage(error)}`);
  }
}

/** Throws Error when the source is invalid. Source: ValidateEncryptedObject of k8s.io/apiserver's kmsv2 envelope, as for the rest of this file. */
export function validateDEKSource(source: DEKSource): void {
  const known: readonly number[] = Object.values(EncryptedDEKSourceType);
  if (!known.includes(source.encryptedDEKSourceType)) {
    throw new Error(`unknown encryptedDEKSourceType: ${String(source.encryptedDEKSourceType)}`);
  }
  explained('encrypted DEK source', () => validateEncryptedDEKSource(source.encryptedDEKSource));
  explained('key id', () => validateKeyID(source.keyID));
  explained('annotations', () => validateAnnotations(source.annotations));
}

/** Throws Error when the bytes are not an envelope or not a valid one. */
export function decodeEncryptedObject(bytes: Buffer): EncryptedObject {
  let object: EncryptedObject;
  try {
    object = EncryptedObject.decode(bytes);
  } catch (error) {
    throw new Error(`proto: cannot parse invalid wire-format data`, { cause: error });
  }
  if (object.encryptedData.length === 0) throw new Error('encrypted data is empty');
  validateDEKSource(object);
  return object;
}

export function encodeEncryptedObject(source: DEKSource, encryptedData: Buffer): Buffer {
  const bytes = EncryptedObject.encode({ ...source, encryptedData }).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A string that is equal for equal sources: type, source, key id and annotations, each with its length. */
export function dekSourceFingerprint(source: DEKSource): string {
  const hash = createHash('sha256');
  const add = (part: Buffer | string) => {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  add(String(source.encryptedDEKSourceType));
  add(source.encryptedDEKSource);
  add(source.keyID);
  for (const key of Object.keys(source.annotations).sort()) {
    add(key);
    add(source.annotations[key] ?? '');
  }
  return hash.digest('base64');
}
