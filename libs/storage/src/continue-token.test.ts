import assert from 'node:assert/strict';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const token = (text: string) => Buffer.from(text).toString('base64url');
const prefix = 'invalid continue token: continue key is not valid: ';

describe('continue tokens', () => {
  it('round-trip', () => {
    assert.deepEqual(decodeContinue(encodeContinue('pods/ns/a<b', 'pods/', 7)), { start: 'ns/a<b\0', revision: 7 });
  });

  it('are read as Go reads JSON', () => {
    const other = token('{"V":"meta.k8s.io/v1","RV":-1,"Start":"/a","start":null}');
    assert.deepEqual(decodeContinue(other), { start: 'a', revision: -1 });
  });

  for (const [what, message] of [
    ['{"v":1}', 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    ['{"rv":"1"}', 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
    ['{"rv":1.5}', 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
    ['{"start":[]}', 'json: cannot unmarshal array into Go struct field continueToken.start of type string'],
    ['[]', 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    ['{"v":}', "invalid character '}' looking for beginning of value"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['{', 'unexpected end of JSON input'],
    ['null', 'server does not recognize this encoded version '],
    ['{"v":"meta.k8s.io/v1","rv":1,"start":"a/../b"}', 'a/../b'],
  ] as const) {
    it(`refuse ${what} with the message of kube-apiserver`, () => {
      assert.throws(() => decodeContinue(token(what)), { message: prefix + message });
    });
  }
});
