import { newUnknownError } from '@apichain/meta';

/** Directories end in a slash, so that `/pods/a` does not also list `/pods/ab`. */
export const toDirectory = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

const leavesDirectory = /\/\.\.?(?:\/|$)/;

/** Throws kube-apiserver's error for a key that could leave its directory: one with a segment `.` or `..`. */
export function checkKey(key: string): void {
  if (key.includes('/.') && leavesDirectory.test(key)) throw newUnknownError(`invalid key: ${JSON.stringify(key)}`);
}
