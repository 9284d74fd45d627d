import { newUnknownError } from '@apichain/meta';

/** The end of the range of all keys with this prefix. The prefix ends in `/` here, so never in 0xff. */
export function prefixEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/** Directories end in a slash, so that `/pods/a` does not also list `/pods/ab`. */
export const toDirectory = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

const leavesDirectory = /\/\.\.?(?:\/|$)/;

/** Throws kube-apiserver's error for a key that could leave its directory: one with a segment `.` or `..`. */
export function checkKey(key: string): void {
  if (key.includes('/.') && leavesDirectory.test(key)) throw newUnknownError(`invalid key: ${JSON.stringify(key)}`);
}
