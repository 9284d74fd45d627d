import { newBadRequest } from '@apichain/meta';

/** Where a list goes on: at `start`, a key below the list's directory, as of `revision` (-1: whatever is newest). */
export interface ContinueToken {
  readonly start: string;
  readonly revision: number;
}

const tokenVersion = 'meta.k8s.io/v1';

/** JSON as Go writes it: HTML characters escaped. Keys hold no others that the two spell differently. */
const goJson = (value: unknown) =>
  JSON.stringify(value).replace(/[<>&]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The token clients hand back, opaque to them but the same as kube-apiserver's (k8s.io/apiserver/pkg/storage/continue.go):
 * the last key returned plus a zero byte, relative to the directory.
 */
export function encodeContinue(lastKey: string, directory: string, revision: number): string {
  const start = `${lastKey.slice(directory.length)}\0`;
  return Buffer.from(goJson({ v: tokenVersion, rv: revision, start })).toString('base64url');
}

const invalid = (detail: string) =>
  newBadRequest(`invalid continue token: continue key is not valid${detail === '' ? '' : `: ${detail}`}`);

function decodeBase64(token: string): string {
  const bad = /[^A-Za-z0-9_-]/.exec(token);
  if (bad !== null) throw invalid(`illegal base64 data at input byte ${String(bad.index)}`);
  if (token.length % 4 === 1) throw invalid(`illegal base64 data at input byte ${String(token.length - 1)}`);
  return Buffer.from(token, 'base64url').toString('utf8');
}

/** Go's complaint about the first character that cannot start a JSON value, or about the end. */
function jsonComplaint(text: string): string {
  const first = text.trimStart().charAt(0);
  if (first === '' || '{["-0123456789tfn'.includes(first)) return 'unexpected end of JSON input';
  return `invalid character '${first}' looking for beginning of value`;
}

function parseToken(token: string): Partial<Record<string, unknown>> {
  const text = decodeBase64(token);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(jsonComplaint(text));
    throw error;
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw invalid(`json: cannot unmarshal ${kind} into Go value of type storage.continueToken`);
  }
  return value;
}

/** As Go's path.Clean of an absolute path. */
function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Throws the 400 that the list answers with when the token is not one of ours. */
export function decodeContinue(token: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = parseToken(token);
  if (v !== tokenVersion) throw invalid(`server does not recognize this encoded version ${String(v)}`);
  if (rv === 0 || typeof rv !== 'number') {
    throw invalid(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw invalid(`encoded start key empty (version ${tokenVersion})`);
  }
  // A key must not climb out of the directory it is put after.
  if (cleanPath(`/${start}`) !== `/${start}`) throw invalid(start);
  return { start, revision: rv };
}
