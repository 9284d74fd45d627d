import { isDNS1035Label, isDNS1123Subdomain } from '@apichain/meta';
import { StartupError } from '@apichain/chain/setup';

/** The names in a project. */
interface ProjectNames {
  /** The name of the project: a DNS label. */
  readonly project: string;
  readonly group: string;
  /** In CamelCase, e.g. `CronTab`. */
  readonly kind: string;
}

/** npm refuses a package with the name of one of its dependencies, and YAML reads the others as booleans or null. */
const reserved = new Set([
  ...['apichain', 'pino', 'typescript'],
  ...['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n'],
]);

/** So that the names made of a kind, such as `widgetclasses`, are DNS labels. */
const maxKindLength = 50;

/** Checks the name of a project, which is that of its folder. Throws StartupError. */
export function checkProject(project: string): void {
  const [problem] = isDNS1035Label(project);
  if (problem !== undefined)
    throw new StartupError(`the folder's name "${project}" cannot be the name of the project: ${problem}`);
  if (reserved.has(project))
    throw new StartupError(`a project cannot have the name "${project}": choose another folder`);
}

/** Checks an API group. Those of Kubernetes are for extension API servers only (`allowsKubernetes`). Throws StartupError. */
export function checkGroup(group: string, allowsKubernetes: boolean): void {
  const [problem] = isDNS1123Subdomain(group);
  if (problem !== undefined) throw new StartupError(`--group: "${group}": ${problem}`);
  if (!group.includes('.')) throw new StartupError(`--group: "${group}" must be a domain, e.g. ${group}.example.com`);
  // CustomResourceDefinitions of these groups need an approval: https://github.com/kubernetes/enhancements/pull/1111
  if (!allowsKubernetes && /(^|\.)(k8s|kubernetes)\.io$/.test(group))
    throw new StartupError(`--group: "${group}" is reserved for Kubernetes`);
}

/** Checks a kind. Throws StartupError. */
export function checkKind(kind: string): void {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind))
    throw new StartupError(`--kind: "${kind}" must be letters and digits in CamelCase, e.g. CronTab`);
  if (kind.length > maxKindLength)
    throw new StartupError(`--kind: "${kind}" is longer than ${maxKindLength} characters`);
}

/** The English plural of a word, by its ending. */
export function pluralOf(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

/**
 * Replaces the names of a template: `Widget`, `widgets` and so on by those of the kind, with its article, `example.com` by its group, `my-project` by the name of
 * the project.
 */
export function withNames(text: string, { project, group, kind }: ProjectNames): string {
  const names: Readonly<Record<string, string>> = {
    Widget: kind,
    Widgets: pluralOf(kind),
    widget: kind.toLowerCase(),
    widgets: pluralOf(kind.toLowerCase()),
    'example.com': group,
    'my-project': project,
  };
  const article = /^[AEIO]/.test(kind) ? 'n' : '';
  return text
    .replaceAll(/\b[Aa](?= Widget)/g, (a) => a + article)
    .replaceAll(/Widgets?|widgets?|example\.com|my-project/g, (name) => names[name] ?? name);
}
