import { forbidden } from '../forbidden.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';

/**
 * Rejects writes that add external IPs to a service.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#denyserviceexternalips
 */
export class DenyServiceExternalIPs implements AdmissionPlugin {
  readonly name = 'DenyServiceExternalIPs';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  validate(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'services')) return;
    const { object, oldObject } = attributes;
    const known = new Set(oldObject?.spec?.externalIPs);
    if ((object?.spec?.externalIPs ?? []).every((ip) => known.has(ip))) return;
    throw forbidden(attributes, 'Use of external IPs is denied by admission control');
  }
}
