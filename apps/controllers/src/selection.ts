/** The controllers here, by kube-controller-manager's names, each with the older alias that `--controllers` accepts too. */
const aliases = {
  'clusterrole-aggregation-controller': 'clusterrole-aggregation',
  'garbage-collector-controller': 'garbagecollector',
  'namespace-controller': 'namespace',
  'persistentvolume-protection-controller': 'pv-protection',
  'persistentvolumeclaim-protection-controller': 'pvc-protection',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'serviceaccount-controller': 'serviceaccount',
  'ttl-after-finished-controller': 'ttl-after-finished',
} as const;

export type ControllerName = keyof typeof aliases;

export const controllerNames = Object.keys(aliases) as ControllerName[];

/**
 * The controllers that a list in kube-controller-manager's syntax means: `*` is all of them, `foo` one, `-foo` all but one
 * (together with `*`), `-*` none. What is said of one by name wins over `*`; of two such the first wins.
 * Throws Error that names what is no controller.
 * Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/
 */
export function selectControllers(list: readonly string[]): ControllerName[] {
  const items = list.map((item) => item.trim()).filter((item) => item !== '');
  for (const item of items) if (!isKnown(item)) throw new Error(`"${item}" is not in the list of known controllers`);
  return controllerNames.filter((name) => isEnabled(name, items));
}

function isKnown(item: string): boolean {
  const name = item.replace(/^-/, '');
  return name === '*' || controllerNames.some((known) => known === name || aliases[known] === name);
}

function isEnabled(name: ControllerName, items: readonly string[]): boolean {
  for (const item of items) {
    if (item === name || item === aliases[name]) return true;
    if (item === `-${name}` || item === `-${aliases[name]}`) return false;
  }
  return items.includes('*');
}
