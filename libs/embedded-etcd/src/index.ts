export { startEmbeddedEtcd, type EmbeddedEtcd, type EmbeddedEtcdOptions } from './embedded-etcd.ts';
export type { StoreContents } from './engine/contents.ts';
