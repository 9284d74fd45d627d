import type { DefaultTheme } from 'vitepress';

/** The order of the pages. A page that is not named here is found by links and by the search. */
export const navigation: DefaultTheme.NavItem[] = [
  { text: 'First steps', link: '/start' },
  { text: 'Concepts', link: '/concepts/chain' },
  { text: 'Guides', link: '/guides/test-an-operator' },
  { text: 'Reference', link: '/reference/', activeMatch: '/reference/' },
  { text: 'Contribute', link: '/contributing/layout' },
];

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link });

/** The pages of the reference, with what the index says about them. */
export const reference: readonly (DefaultTheme.SidebarItem & { readonly about: string })[] = [
  { ...page('Commands', '/reference/commands'), about: 'what `apichain` does, with flags and examples' },
  {
    text: 'Flags',
    link: '/reference/flags/',
    about: 'of the services, the controllers and extension API servers',
    collapsed: true,
    items: [
      page('aggregator', '/reference/flags/aggregator'),
      page('kube-core', '/reference/flags/kube-core'),
      page('apiextensions', '/reference/flags/apiextensions'),
      page('controllers', '/reference/flags/controllers'),
      page('Extension API servers', '/reference/flags/extension-server'),
    ],
  },
  {
    text: 'Library',
    link: '/reference/library/',
    about: 'the functions and types of each module of the package',
    collapsed: true,
    items: ['', '/server/', '/client/', '/testing', '/envtest', '/envtest/vitest', '/etcd'].map((path) =>
      page(`apichain${path.replace(/\/$/, '')}`, `/reference/library/apichain${path}`),
    ),
  },
  { ...page('defineResource', '/define-resource'), about: 'every option of a resource and of its server' },
  { ...page('Metrics', '/metrics'), about: 'what each service measures, and queries of dashboards' },
  { ...page('Differences to kube-apiserver', '/differences'), about: 'what is not there, or is another way' },
  { ...page('Conformance', '/conformance'), about: 'requests beside a kube-apiserver, and how they are compared' },
  { ...page('Compatibility', '/compatibility'), about: 'with clients, extension API servers and tools' },
  { ...page('Go controllers', '/controllers'), about: 'controllers of others against the chain' },
  { ...page('Benchmarks', '/benchmarks'), about: 'beside kube-apiserver, with workers, with much data' },
  { ...page('Benchmarks of parts', '/benchmarks-parts'), about: 'what programs measured of single parts' },
  { ...page('Benchmarks of earlier versions', '/benchmarks-history'), about: 'and the effect of single changes' },
  { ...page('Changelog', '/changelog'), about: 'what each version brought' },
];

export const sidebar: DefaultTheme.SidebarItem[] = [
  { text: 'Start', items: [page('First ten minutes', '/start'), page('A session with kubectl', '/guides/kubectl')] },
  {
    text: 'Trades',
    items: [
      page('Test an operator', '/guides/test-an-operator'),
      page('Write an operator', '/guides/write-an-operator'),
      page('Write an API', '/extension-servers'),
      page('Run a control plane', '/control-plane'),
      page('Open a backup', '/backups'),
    ],
  },
  {
    text: 'Concepts',
    items: [
      page('The chain', '/concepts/chain'),
      page('Request lifecycle', '/concepts/request-lifecycle'),
      page('The path of an update', '/concepts/write-path'),
      page('Watch cache', '/concepts/watch-cache'),
      page('Server-side apply', '/concepts/apply'),
      page('Aggregation', '/aggregation'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Run a chain', '/guides/run'),
      page('Deploy the services', '/guides/deploy'),
      page('Controllers', '/guides/controllers'),
      page('Test with workloads', '/guides/test-workloads'),
      page('The library for tests', '/testing'),
      page('Custom resources', '/guides/custom-resources'),
      page('Admission', '/guides/admission'),
      page('Simulated nodes', '/guides/simulated-nodes'),
      page('An API in production', '/extension-servers-in-production'),
      page('Three etcd members', '/guides/three-etcd-members'),
      page('Migrate', '/guides/migrate'),
      page('Observe', '/guides/observe'),
      page('The console', '/console'),
      page('Secure', '/guides/secure'),
    ],
  },
  { text: 'Reference', link: '/reference/', items: reference.map(({ about: _about, ...item }) => item) },
  {
    text: 'Contribute',
    items: [
      page('Layout', '/contributing/layout'),
      page('Architecture', '/contributing/architecture'),
      page('Rules and commands', '/contributing/rules'),
      page('Add a kind', '/contributing/add-a-kind'),
      page('Add a field', '/contributing/add-a-field'),
      page('Add a filter', '/contributing/add-a-filter'),
      page('Add a controller', '/contributing/add-a-controller'),
      page('Documentation', '/contributing/documentation'),
      page('Commands that no test runs', '/contributing/commands-not-run'),
      {
        text: 'Design notes',
        link: '/design/',
        collapsed: true,
        items: [
          page('Three services, or one process', '/design/three-services'),
          page('Bytes first', '/design/bytes-first'),
          page('Delivery of watch events', '/design/watch-delivery'),
          page('Turn batches', '/design/turn-batches'),
          page('Libraries for the transports', '/design/transports'),
          page('Buffers of forwarded responses', '/design/forwarded-buffers'),
          page('An etcd of our own', '/design/embedded-etcd'),
          page('Memory before speed', '/design/memory'),
          page('A bundle of sources', '/design/bundle'),
          page('The generator of this site', '/design/site'),
        ],
      },
    ],
  },
];
