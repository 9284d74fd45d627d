import { asText, global, type Library } from '../overload.ts';
import * as types from '../types.ts';

/** Escapes in one pass, so that escape sequences are not escaped again. */
const escapeKey = (key: string): string => key.replace(/[~/]/g, (found) => (found === '/' ? '~1' : '~0'));

/** Only available to expressions that construct patches. After k8s.io/apiserver/pkg/cel/library/jsonpatch.go. */
export const jsonPatchLibrary: Library = {
  'jsonpatch.escapeKey': [
    global('string_jsonpatch_escapeKey_string', [types.string], types.string, (key) => escapeKey(asText(key))),
  ],
};
