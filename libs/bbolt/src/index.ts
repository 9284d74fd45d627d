export { BboltError } from './page.ts';
export { newestMeta } from './meta.ts';
export { planBbolt, type NewBucket } from './plan.ts';
export { readBbolt, type BboltBucket, type BboltDatabase } from './read.ts';
export type { NewEntry } from './write-page.ts';
export { bboltPages } from './write.ts';
