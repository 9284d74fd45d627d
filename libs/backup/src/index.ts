export { BackupObjects, type StoredValue } from './backup-objects.ts';
export { diffBackups, type Change } from './diff.ts';
export { EncryptedValues } from './encrypted-values.ts';
export { exportObjects } from './export.ts';
export { chooseObjects, labelsMatch } from './selection.ts';
export { resourceName, type StoredPlace } from './stored-resources.ts';
