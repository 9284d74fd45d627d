import { errorMessage, hasErrorCode } from '@apichain/meta';
import { readFileSync } from 'node:fs';
import type { X509Certificate } from 'node:crypto';
import { parseCertificateBundle } from '@apichain/authn';
import type { FollowedFiles } from '@apichain/serving';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** The content of the file a flag names; undefined when the flag is empty. Throws FlagError when it cannot be read. */
export function readFlagFile(flags: ParsedFlags, name: string): string | undefined {
  const path = flags.string(name);
  return path === '' ? undefined : readPath(name, path);
}

/** The same for a flag that may be given several times. */
export function readFlagFiles(flags: ParsedFlags, name: string): string[] {
  return flags.strings(name).map((path) => readPath(name, path));
}

/**
 * The result of `make` for the file that a flag names; undefined when the flag is empty. When the file changes, `apply` gets the result for the
 * new content. Throws FlagError when the file cannot be read, and the errors of `make`.
 */
export function followFlagFile<Value>(
  files: FollowedFiles,
  flags: ParsedFlags,
  name: string,
  make: (content: string) => Value,
  apply: (value: Value) => void,
): Value | undefined {
  const path = flags.string(name);
  if (path === '') return undefined;
  readPath(name, path);
  return files.follow([path], ([content = '']) => make(content), apply);
}

/** Throws FlagError when the file cannot be read. */
export function readPath(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new FlagError(`--${flag}: cannot read ${path}: ${errorMessage(error)}`);
  }
}

/** The content of a file. When it cannot be read, throws FlagError with Go's text. */
export function readNamed(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = hasErrorCode(error, 'ENOENT');
    throw new FlagError(isMissing ? `open ${path}: no such file or directory` : errorMessage(error));
  }
}

/** The certificates in a flag's PEM file. Throws FlagError. */
export function certificatesOf(flag: string, pem: string): X509Certificate[] {
  try {
    return parseCertificateBundle(pem);
  } catch (error) {
    throw new FlagError(`--${flag}: ${errorMessage(error)}`);
  }
}
