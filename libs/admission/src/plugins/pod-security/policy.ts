import { field, type FieldError } from '@apichain/meta';

/*
 * The Pod Security labels of a namespace.
 * https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces
 */

export type Level = 'privileged' | 'baseline' | 'restricted';
/** The minor version of Kubernetes 1 whose checks apply. */
type PolicyVersion = number | 'latest';

export interface LevelVersion {
  readonly level: Level;
  readonly version: PolicyVersion;
}
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const privileged: LevelVersion = { level: 'privileged', version: 'latest' };
export const privilegedPolicy: Policy = { enforce: privileged, audit: privileged, warn: privileged };

const levels: readonly Level[] = ['privileged', 'baseline', 'restricted'];
export const strictness = (level: Level): number => levels.indexOf(level);
export const isFullyPrivileged = ({ enforce, audit, warn }: Policy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === 'privileged');
export const sameLevelVersion = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version;
/** `restricted:v1.25` */
export const formatLevelVersion = ({ level, version }: LevelVersion): string =>
  `${level}:${version === 'latest' ? version : `v1.${version}`}`;

type Labels = Readonly<Record<string, string>>;
type Mode = keyof Policy;
const levelLabel = (mode: Mode) => `pod-security.kubernetes.io/${mode}`;
const versionLabel = (mode: Mode) => `${levelLabel(mode)}-version`;

const versionText = /^v1\.(0|[1-9][0-9]*)$/;
function parseVersion(text: string): PolicyVersion | undefined {
  if (text === 'latest') return text;
  const minor = versionText.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

const invalid = (label: string, value: string, message: string): FieldError =>
  field.invalid(`metadata.labels[${label}]`, value, message);

/** Reads the labels of one mode. An invalid level becomes `unknown`, an invalid version becomes the latest. */
function readMode(labels: Labels, mode: Mode, fallback: LevelVersion, unknown: Level, errors: FieldError[]) {
  let { level, version } = fallback;
  const givenLevel = labels[levelLabel(mode)];
  const parsedLevel = levels.find((candidate) => candidate === givenLevel);
  if (givenLevel !== undefined) {
    level = parsedLevel ?? unknown;
    if (parsedLevel === undefined) {
      errors.push(invalid(levelLabel(mode), givenLevel, `must be one of ${levels.join(', ')}`));
    }
  }
  const givenVersion = labels[versionLabel(mode)];
  if (givenVersion !== undefined) {
    const parsed = parseVersion(givenVersion);
    version = parsed ?? 'latest';
    if (parsed === undefined) errors.push(invalid(versionLabel(mode), givenVersion, 'must be "latest" or "v1.x"'));
  }
  return { policy: { level, version }, hasLevel: givenLevel !== undefined, validLevel: parsedLevel !== undefined };
}

/** The defaults of a PodSecurityConfiguration. Omitted levels are privileged, omitted versions are latest. */
export function parsePodSecurityDefaults(given: Readonly<Record<string, unknown>>): Policy {
  const labels = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, String(value)]),
  );
  const mode = (name: Mode) => readMode(labels, name, privileged, 'privileged', []).policy;
  return { enforce: mode('enforce'), audit: mode('audit'), warn: mode('warn') };
}

/** The problems of the defaults, with the texts of kube-apiserver. */
export function podSecurityDefaultProblems(given: Readonly<Record<string, unknown>>): string[] {
  return (['enforce', 'audit', 'warn'] as const).flatMap((mode) => {
    const version = given[`${mode}-version`];
    return [
      ...(given[mode] === undefined || levels.some((level) => level === given[mode])
        ? []
        : [`${mode}: must be one of ${levels.join(', ')}`]),
      ...(version === undefined || (typeof version === 'string' && parseVersion(version) !== undefined)
        ? []
        : [`${mode}-version: must be "latest" or "v1.x"`]),
    ];
  });
}

/** The policy of the labels, with the errors in them. An invalid enforce level becomes restricted; other invalid levels become privileged. */
export function policyOf(
  labels: Labels,
  defaults: Policy = privilegedPolicy,
): { policy: Policy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const enforce = readMode(labels, 'enforce', defaults.enforce, 'restricted', errors);
  const audit = readMode(labels, 'audit', defaults.audit, 'privileged', errors);
  const warn = readMode(labels, 'warn', defaults.warn, 'privileged', errors);
  let warnPolicy: LevelVersion = warn.policy;
  // Without a warn level, the enforced level also produces warnings if it is stricter.
  if (!warn.hasLevel && enforce.validLevel && strictness(enforce.policy.level) > strictness(warnPolicy.level)) {
    const hasVersion = labels[versionLabel('warn')] !== undefined;
    warnPolicy = { level: enforce.policy.level, version: hasVersion ? warnPolicy.version : enforce.policy.version };
  }
  return { policy: { enforce: enforce.policy, audit: audit.policy, warn: warnPolicy }, errors };
}
