import type { HttpTransportOptions } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { flags, UsageError } from '../command/command.ts';
import { connectionOf, credentialFlags } from '../command/credentials.ts';
import { areas, type Area } from './scenario.ts';

export const usage = `usage: npm run conformance -- --reference URL --kubeconfig FILE [options]
       npm run conformance -- --reference FILE.json [options]

Sends the same requests to a kube-apiserver 1.36 and to the chain, and compares the responses. Exit code 1 when a response differs
that is not among the known differences, or when a known difference is gone; 2 when the comparison could not be made.

The reference:
  --reference WHAT     a URL; FILE.json says how to start one (tools/conformance/servers/kube-apiserver.json)
  --kubeconfig FILE    the credentials of its administrator; the URL too, unless --reference says another
  --ca, --cert, --key, --token, --insecure
                       credentials without a kubeconfig (PEM files; a token; any certificate will do)

The chain (repeat for several):
  --chain WHAT         services, in-process: one is started; a URL; FILE.json. Default: services and in-process
  --chain-kubeconfig FILE, --chain-ca, --chain-cert, --chain-key, --chain-token, --chain-insecure
                       as above, for chains that are URLs

What to run:
  --areas A,B          ${areas.slice(0, 6).join(', ')},
                       ${areas.slice(6).join(', ')}; default: all
  --scenarios REGEXP   only scenarios of such names
  --concurrency N      scenarios at a time (4)
  --webhook-host HOST  an address of this machine that all servers reach; webhooks listen there (127.0.0.1)
  --etcd FILE          the etcd of servers that are started and need one (etcd)
  --any-version        do not refuse servers that are not 1.36
  --dry-run            say what would be created, and create nothing

What comes out:
  --report FILE        writes FILE.md and FILE.json
  --known FILE|none    the known differences (tools/conformance/known-differences.json)
  --show N             unexpected differences to print (50); the report has them all`;

/** A running server, or the file that says how to start a server. */
export type ServerChoice =
  | { readonly name: string; readonly running: HttpTransportOptions }
  | { readonly name: string; readonly file: string };

export interface Options {
  readonly reference: ServerChoice;
  readonly chains: readonly ServerChoice[];
  readonly areas: readonly Area[];
  readonly scenarios: RegExp;
  readonly concurrency: number;
  readonly webhookHost: string;
  readonly etcdBinary: string;
  readonly anyVersion: boolean;
  readonly dryRun: boolean;
  /** The path of the report without an extension. */
  readonly report: string | undefined;
  /** Undefined means that no differences are known. */
  readonly knownDifferences: string | undefined;
  readonly show: number;
}

const serverFile = (name: string) => new URL(`servers/${name}.json`, import.meta.url).pathname;
const ownChains = ['services', 'in-process'];

/** Parses the command line and reads the credential files that it names. Throws UsageError, and Error for files that cannot be read. */
export function parseOptions(args: readonly string[]): Options {
  const values = parse(args);
  const wanted = values.areas?.split(',') ?? areas;
  const unknown = wanted.filter((area) => !areas.some((known) => known === area));
  if (unknown.length > 0)
    throw new UsageError(`--areas: there is no ${unknown.join(', ')}; there are ${areas.join(', ')}`);
  return {
    reference: referenceOf(values),
    chains: (values.chain ?? ownChains).map((what) => chainOf(what, values)),
    areas: areas.filter((area) => wanted.includes(area)),
    scenarios: regularExpression(values.scenarios),
    concurrency: wholeNumber('concurrency', values.concurrency),
    webhookHost: values['webhook-host'],
    etcdBinary: values.etcd,
    anyVersion: values['any-version'],
    dryRun: values['dry-run'],
    report: values.report?.replace(/\.(md|json)$/, ''),
    knownDifferences: values.known === 'none' ? undefined : values.known,
    show: wholeNumber('show', values.show),
  };
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const parse = flags({
  ...credentialFlags,
  reference: text,
  chain: { ...text, multiple: true },
  'chain-kubeconfig': text,
  'chain-ca': text,
  'chain-cert': text,
  'chain-key': text,
  'chain-token': text,
  'chain-insecure': flag,
  areas: text,
  scenarios: { ...text, default: '' },
  concurrency: { ...text, default: '4' },
  'webhook-host': { ...text, default: '127.0.0.1' },
  etcd: { ...text, default: process.env['ETCD'] ?? 'etcd' },
  'any-version': flag,
  'dry-run': flag,
  report: text,
  known: { ...text, default: new URL('known-differences.json', import.meta.url).pathname },
  show: { ...text, default: '50' },
});

type Values = ReturnType<typeof parse>;

function referenceOf(values: Values): ServerChoice {
  const { reference } = values;
  if (reference?.endsWith('.json')) return { name: 'reference', file: reference };
  return { name: 'reference', running: connectionOf(reference, values) };
}

function chainOf(what: string, values: Values): ServerChoice {
  if (ownChains.includes(what)) return { name: what, file: serverFile(what) };
  if (what.endsWith('.json')) return { name: what, file: what };
  const running = connectionOf(what, {
    kubeconfig: values['chain-kubeconfig'],
    ca: values['chain-ca'],
    cert: values['chain-cert'],
    key: values['chain-key'],
    token: values['chain-token'],
    insecure: values['chain-insecure'],
  });
  return { name: what, running };
}

function regularExpression(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(`--scenarios: ${errorMessage(error)}`);
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`--${name} ${text} is not a number from 1`);
  return Number(text);
}
