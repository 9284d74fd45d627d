export { FieldManager } from './field-manager.ts';
export { typeErrors } from './misfits.ts';
export { isLiveBesidesManagers } from './object-managed-fields.ts';
export type { LiveObject, RunFieldWork } from './remote-field-work.ts';
export { ScaleHandler } from './scale-handler.ts';
export { keepManagedFieldsTimes, managedFieldsError } from './timestamps.ts';
