export { startEmbeddedEtcd, type EmbeddedEtcd, type EmbeddedEtcdOptions } from './embedded-etcd.ts';
export type { StoreContents } from './engine/contents.ts';
export { restoreDataDir } from './restore-data-dir.ts';
