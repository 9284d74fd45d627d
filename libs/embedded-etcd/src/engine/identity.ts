import { randomBytes } from 'node:crypto';
import type { Identity } from '../log/recover.ts';

/** The identity of a new store. */
export const newIdentity = (): Identity => ({
  clusterId: randomBytes(8).readBigUInt64BE().toString(),
  memberId: randomBytes(8).readBigUInt64BE().toString(),
});
