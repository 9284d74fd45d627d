import assert from 'node:assert/strict';
import { compilePattern } from './pattern.ts';

describe('patterns', () => {
  it('have the syntax errors of Go', () => {
    const cases = {
      '(': 'missing closing ): `(`',
      'a\\': 'trailing backslash at end of expression: ``',
      [`${'('.repeat(1001)}${')'.repeat(1001)}`]: `expression nests too deeply: \`${'('.repeat(1001)}${')'.repeat(1001)}\``,
    };
    for (const [pattern, message] of Object.entries(cases))
      assert.throws(() => compilePattern(pattern), { message: `error parsing regexp: ${message}` });
  });
});
