import { errorMessage } from '@apichain/meta';
import { FlagError } from './flag.ts';
import { readNamed } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

const logFormats: readonly string[] = ['', 'text', 'json'];
const storageBackends: readonly string[] = ['', 'etcd3'];

const seconds = 1_000;

/** Sources: validation.go of pkg/controlplane/apiserver/options and of cmd/kube-apiserver/app/options of kubernetes 1.36. */
function wrongAnyhow(flags: ParsedFlags): readonly (readonly [isWrong: boolean, complaint: string])[] {
  const duration = (name: string, unset: number) => (flags.isSet(name) ? flags.duration(name) : unset);
  const leadership = '--coordinated-leadership';
  const lease = duration('coordinated-leadership-lease-duration', 15 * seconds);
  const renewal = duration('coordinated-leadership-renew-deadline', 10 * seconds);
  const retry = duration('coordinated-leadership-retry-period', 2 * seconds);
  const servers = flags.number('apiserver-count');
  return [
    [
      flags.duration('storage-initialization-timeout') < 0,
      '--storage-initialization-timeout can not be negative value',
    ],
    [
      flags.isSet('apiserver-count') && servers <= 0,
      `--apiserver-count should be a positive number, but value '${servers}' provided`,
    ],
    [lease <= renewal, `${leadership}-lease-duration must be greater than ${leadership}-renew-deadline`],
    [renewal <= retry, `${leadership}-renew-deadline must be greater than ${leadership}-retry-period`],
  ];
}

/** Throws FlagError, with the text of kube-apiserver, for a value that kube-apiserver would refuse. */
export function checkFlagsWithoutEffect(flags: ParsedFlags): void {
  checkCommonFlags(flags);
  for (const [isWrong, complaint] of wrongAnyhow(flags)) if (isWrong) throw new FlagError(complaint);
  const egress = given(flags, 'egress-selector-config-file');
  if (egress === '') return;
  try {
    readNamed(egress);
  } catch (error) {
    const why = `unable to read egress selector configuration from ${JSON.stringify(egress)} [${errorMessage(error)}]`;
    throw new FlagError(`failed to read egress selector config: ${why}`);
  }
}

/**
 * Throws FlagError for a value that a Go extension API server would refuse, and for an egress selector: whoever configures one relies on
 * connections through it, and the server makes them directly.
 */
export function checkFlagsWithoutEffectOfExtensionServer(flags: ParsedFlags): void {
  checkCommonFlags(flags);
  if (given(flags, 'egress-selector-config-file') !== '')
    throw new FlagError(
      '--egress-selector-config-file is not supported: this server connects to the core API, etcd and webhooks directly',
    );
}

const given = (flags: ParsedFlags, name: string): string => (flags.isSet(name) ? flags.string(name) : '');

function checkCommonFlags(flags: ParsedFlags): void {
  if (!storageBackends.includes(given(flags, 'storage-backend')))
    throw new FlagError(
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    );
  const format = given(flags, 'logging-format');
  if (!logFormats.includes(format))
    throw new FlagError(`format: Invalid value: ${JSON.stringify(format)}: Unsupported log format`);
}
