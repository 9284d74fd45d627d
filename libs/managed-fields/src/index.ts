export { FieldManager, type FieldManagerOptions } from './field-manager.ts';
export { typeErrors } from './misfits.ts';
export { ScaleHandler, type ScaleHandlerOptions } from './scale-handler.ts';
export { keepManagedFieldsTimes, managedFieldsError } from './timestamps.ts';
export { PendingConversion } from './versions.ts';
