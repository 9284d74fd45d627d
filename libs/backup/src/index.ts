export { BackupObjects, type BackupOptions, type StoredEntry, type StoredValue } from './backup-objects.ts';
export { diffBackups, type Change, type DiffOptions } from './diff.ts';
export { EncryptedValues } from './encrypted-values.ts';
export { exportObjects, type Exported, type ExportOptions } from './export.ts';
export { chooseObjects, labelsMatch, type Choice, type ChosenObjects } from './selection.ts';
export { resourceName, type StoredPlace, type StoredResource, type StoredResources } from './stored-resources.ts';
