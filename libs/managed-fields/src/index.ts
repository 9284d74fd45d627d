export { FieldManager } from './field-manager.ts';
export { typeErrors } from './misfits.ts';
export { ScaleHandler } from './scale-handler.ts';
export { keepManagedFieldsTimes, managedFieldsError } from './timestamps.ts';
export { PendingConversion } from './versions.ts';
