import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

const everyOperation: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Admits every request. Deprecated; it exists for command lines that name it. */
export class AlwaysAdmit implements AdmissionPlugin {
  readonly name = 'AlwaysAdmit';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set();
}

/** Rejects every request. */
export class AlwaysDeny implements AdmissionPlugin {
  readonly name = 'AlwaysDeny';
  readonly handles: ReadonlySet<AdmissionOperation> = everyOperation;

  admit(attributes: AdmissionAttributes): void {
    this.validate(attributes);
  }
  validate(attributes: AdmissionAttributes): void {
    throw forbidden(attributes, 'admission control is denying all modifications');
  }
}
