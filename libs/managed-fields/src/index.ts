export { FieldManager, type FieldManagerOptions } from './field-manager.ts';
export { ScaleHandler, type ScaleHandlerOptions } from './scale-handler.ts';
export { keepManagedFieldsTimes, managedFieldsError } from './timestamps.ts';
export { AsyncFieldManager, type AsyncFieldManagerOptions } from './async-field-manager.ts';
export { PendingConversion } from './versions.ts';
