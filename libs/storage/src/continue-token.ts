import { errorMessage, newBadRequest, parseJson } from '@apichain/meta';
import { jsonKind } from '@apichain/scheme';

/** Where a list continues: at `start`, a key below the list's directory, as of `revision` (-1 = the newest). */
export interface ContinueToken {
  readonly start: string;
  readonly revision: number;
}

const tokenVersion = 'meta.k8s.io/v1';

/** JSON as Go writes it, with HTML characters escaped. Keys contain no other characters that Go and JavaScript escape differently. */
const goJson = (value: unknown) =>
  JSON.stringify(value).replace(/[<>&]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Encodes the continue token: opaque to clients, in the format of kube-apiserver (k8s.io/apiserver/pkg/storage/continue.go). It holds the last key
 * returned plus a zero byte, relative to the directory.
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

interface TokenFields {
  v: string;
  rv: number;
  start: string;
}

const wrongType = (value: string, name: string, type: string) =>
  invalid(`json: cannot unmarshal ${value} into Go struct field continueToken.${name} of type ${type}`);

function textField(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrongType(jsonKind(value), name, 'string');
  return value;
}

function integerField(value: unknown, name: string): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongType(jsonKind(value), name, 'int64');
  const whole = typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isInteger(value);
  if (!whole) throw wrongType(`number ${String(value)}`, name, 'int64');
  return Number(value);
}

/** The members of a token as encoding/json decodes them into a struct: names in any case, nulls ignored. */
function parseToken(token: string): TokenFields {
  const value = parsed(decodeBase64(token));
  const fields: TokenFields = { v: '', rv: 0, start: '' };
  if (value === null) return fields;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(`json: cannot unmarshal ${jsonKind(value)} into Go value of type storage.continueToken`);
  }
  for (const [name, member] of Object.entries(value)) {
    if (member === null) continue;
    const known = name.toLowerCase();
    if (known === 'v') fields.v = textField(member, known);
    else if (known === 'rv') fields.rv = integerField(member, known);
    else if (known === 'start') fields.start = textField(member, known);
  }
  return fields;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalid(errorMessage(error));
  }
}

/** Like Go's path.Clean for an absolute path. */
function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Throws the 400 of a list request when the token is invalid. */
export function decodeContinue(token: string): ContinueToken {
  const { v, rv, start } = parseToken(token);
  if (v !== tokenVersion) throw invalid(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalid(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  if (start === '') throw invalid(`encoded start key empty (version ${tokenVersion})`);
  // A key must not leave the directory that it is appended to.
  const path = start.startsWith('/') ? start : `/${start}`;
  if (cleanPath(path) !== path) throw invalid(start);
  return { start: path.slice(1), revision: rv };
}
