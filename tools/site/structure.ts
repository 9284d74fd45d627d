import type { DefaultTheme } from 'vitepress';

/** The order of the pages. A page that is not named here is found by links and by the search. */
export const navigation: DefaultTheme.NavItem[] = [
  { text: 'Start', link: '/start' },
  { text: 'Concepts', link: '/concepts/chain' },
  { text: 'Guides', link: '/guides/test-an-operator' },
  { text: 'Reference', link: '/reference/commands' },
  { text: 'Contribute', link: '/contributing/layout' },
];

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link });

export const sidebar: DefaultTheme.SidebarItem[] = [
  { text: 'Start', items: [page('First ten minutes', '/start'), page('A session with kubectl', '/guides/kubectl')] },
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
      page('Write an operator', '/guides/write-an-operator'),
      page('Test an operator', '/guides/test-an-operator'),
      page('Test with workloads', '/guides/test-workloads'),
      page('The library for tests', '/testing'),
      page('Custom resources', '/guides/custom-resources'),
      page('Admission', '/guides/admission'),
      page('Simulated nodes', '/guides/simulated-nodes'),
      page('Your own API', '/extension-servers'),
      page('Your own API in production', '/extension-servers-in-production'),
      page('A control plane of your own', '/control-plane'),
      page('Three etcd members', '/guides/three-etcd-members'),
      page('Migrate', '/guides/migrate'),
      page('Backups of etcd', '/backups'),
      page('Observe', '/guides/observe'),
      page('The console', '/console'),
      page('Secure', '/guides/secure'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Commands', '/reference/commands'),
      {
        text: 'Flags',
        link: '/reference/flags/',
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
        collapsed: true,
        items: ['', '/server/', '/client/', '/testing', '/envtest', '/envtest/vitest', '/etcd'].map((path) =>
          page(`apichain${path.replace(/\/$/, '')}`, `/reference/library/apichain${path}`),
        ),
      },
      page('defineResource', '/define-resource'),
      page('Metrics', '/metrics'),
      page('Differences to kube-apiserver', '/differences'),
      page('Conformance', '/conformance'),
      page('Compatibility', '/compatibility'),
      page('Go controllers', '/controllers'),
      page('Benchmarks', '/benchmarks'),
      page('Benchmarks of parts', '/benchmarks-parts'),
      page('Benchmarks of earlier versions', '/benchmarks-history'),
      page('Changelog', '/changelog'),
    ],
  },
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
