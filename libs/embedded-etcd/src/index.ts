export { checkDataDir } from './check-data-dir.ts';
export { createDataDir, type ForeignContents } from './create-data-dir.ts';
export { startEmbeddedEtcd, type EmbeddedEtcd, type EmbeddedEtcdOptions } from './embedded-etcd.ts';
export type { StoreContents } from './engine/contents.ts';
export { syncDirectory } from './log/files.ts';
export { restoreDataDir } from './restore-data-dir.ts';
