import assert from 'node:assert/strict';
import { checkForwardedPorts } from './forwarded-ports.ts';

describe('checkForwardedPorts', () => {
  it('accepts port numbers, and an empty list', () => {
    checkForwardedPorts([]);
    checkForwardedPorts(['80', '443,0,65535']);
  });

  it('refuses the rest as Go does', () => {
    const parsing = 'cannot convert to []int32: strconv.ParseUint: parsing';
    assert.throws(() => checkForwardedPorts(['80,x']), { message: `${parsing} "x": invalid syntax` });
    assert.throws(() => checkForwardedPorts(['']), { message: `${parsing} "": invalid syntax` });
    assert.throws(() => checkForwardedPorts(['65536']), { message: `${parsing} "65536": value out of range` });
  });
});
