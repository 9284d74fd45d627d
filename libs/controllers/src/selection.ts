import { controllersElsewhere } from './controllers-elsewhere.ts';

/** The controllers here, by kube-controller-manager's names, each with the older alias that `--controllers` accepts too. */
const aliases = {
  'clusterrole-aggregation-controller': 'clusterrole-aggregation',
  'garbage-collector-controller': 'garbagecollector',
  'namespace-controller': 'namespace',
  'persistentvolume-protection-controller': 'pv-protection',
  'persistentvolumeclaim-protection-controller': 'pvc-protection',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'serviceaccount-controller': 'serviceaccount',
  'serviceaccount-token-controller': 'serviceaccount-token',
  'token-cleaner-controller': 'tokencleaner',
  'ttl-after-finished-controller': 'ttl-after-finished',
} as const;

/** A controller, by its name in kube-controller-manager. */
export type ControllerName = keyof typeof aliases;

/** Every controller that there is. */
export const controllerNames = Object.keys(aliases) as ControllerName[];

/** What `*` leaves out, as in kube-controller-manager. */
const offByDefault: ReadonlySet<string> = new Set<ControllerName>(['token-cleaner-controller']);

/**
 * The controllers that a list in kube-controller-manager's syntax means: `*` is all that are on by default, `foo` one, `-foo` not
 * this one (together with `*`), `-*` none. What is said of one by name wins over `*`; of two such the first wins. That a controller of
 * kube-controller-manager which is not here shall not run may be said.
 * Throws Error that names what is no controller.
 * Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/
 */
export function selectControllers(list: readonly string[]): ControllerName[] {
  const items = list.map((item) => item.trim()).filter((item) => item !== '');
  const problems = items.flatMap((item) => problemOf(item) ?? []);
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
  return controllerNames.filter((name) => isEnabled(name, items));
}

function problemOf(item: string): string | undefined {
  const name = item.replace(/^-/, '');
  if (name === '*' || controllerNames.some((known) => known === name || aliases[known] === name)) return undefined;
  if (!controllersElsewhere.has(name)) return `${JSON.stringify(name)} is not in the list of known controllers`;
  return item === name ? `${JSON.stringify(name)} does not run here` : undefined;
}

function isEnabled(name: ControllerName, items: readonly string[]): boolean {
  for (const item of items) {
    if (item === name || item === aliases[name]) return true;
    if (item === `-${name}` || item === `-${aliases[name]}`) return false;
  }
  return items.includes('*') && !offByDefault.has(name);
}
