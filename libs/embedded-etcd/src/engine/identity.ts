import { randomBytes } from 'node:crypto';
import type { Identity } from '../log/recover.ts';

/** Of a store that begins. */
export const newIdentity = (): Identity => ({
  clusterId: randomBytes(8).readBigUInt64BE().toString(),
  memberId: randomBytes(8).readBigUInt64BE().toString(),
});
