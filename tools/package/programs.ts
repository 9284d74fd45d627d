import type { Entry } from './bundle.ts';

/** The programs that are deployed separately. */
export const services: readonly Entry[] = ['aggregator', 'kube-core', 'apiextensions', 'controllers', 'simulation'].map(
  (name) => ({
    name,
    source: `apps/${name}/src/main.ts`,
  }),
);

/** An extension API server that is deployed beside a chain or behind any kube-apiserver. */
export const sampleApiServer: Entry = { name: 'sample-apiserver', source: 'apps/sample-apiserver/src/main.ts' };

/** The process that makes certificates. libs/chain/src/certificates/pki.ts finds it by its name, in every bundle that starts a chain. */
const certificates: Entry = { name: 'pki-program', source: 'libs/chain/src/certificates/pki-program.ts' };

/** The command and the processes that it starts. apps/apichain/src/up/program.ts finds these processes by their names. */
export const programs: readonly Entry[] = [
  { name: 'apichain', source: 'apps/apichain/src/program.ts' },
  { name: 'embedded-etcd', source: 'libs/embedded-etcd/src/serve.ts' },
  { name: 'chain', source: 'apps/apichain/src/up/chain-main.ts' },
  certificates,
  ...services,
];
