import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { record, texts } from '../fields.ts';

/**
 * Services get no external IPs that they do not have yet.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#denyserviceexternalips
 */
export class DenyServiceExternalIPs implements AdmissionPlugin {
  readonly name = 'DenyServiceExternalIPs';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  validate(attributes: AdmissionAttributes): void {
    const { resource, object, oldObject } = attributes;
    if (resource.group !== '' || resource.resource !== 'services') return;
    const known = texts(record(oldObject?.spec).externalIPs);
    if (texts(record(object?.spec).externalIPs).every((ip) => known.includes(ip))) return;
    throw forbidden(attributes, 'Use of external IPs is denied by admission control');
  }
}
