export { readBackup, type Backup, type BackupForm } from './backup/backup.ts';
export { BackupError } from './backup/backup-error.ts';
export { checkDataDir, repairDataDir, type StoreDamage } from './repair-data-dir.ts';
export { createDataDir, type ForeignContents, restoreDataDir } from './create-data-dir.ts';
export { startEmbeddedEtcd, type EmbeddedEtcd, type EmbeddedEtcdOptions, type StoreChange } from './embedded-etcd.ts';
export type { StoreContents } from './engine/contents.ts';
export { syncDirectory } from './log/files.ts';
export { writeSnapshot } from './write-snapshot.ts';
