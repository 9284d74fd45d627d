export { checkCaBundle } from './ca-bundle.ts';
export { parseRegisteredGroupVersion } from './group-versions.ts';
export { namespaceOf } from './kubeconfig-namespace.ts';
export { checkServerName } from './registered-objects.ts';
export { registrationObjects } from './manifests.ts';
export { register, registrationContent, type RegisterOptions } from './register.ts';
export { RegistrationError } from './registration-error.ts';
export { parseAddress, parseNamespace, parseServiceTarget, type RegistrationTarget } from './target.ts';
export { unregister } from './unregister.ts';
