import type { Flag } from './command.ts';

/** The data directory of a chain. */
export const dataDir: Flag = {
  name: 'data-dir',
  value: 'DIR',
  summary: 'the data directory of the chain',
  default: '.apichain',
  complete: 'directory',
};

/** A named chain instead of a data directory. */
export const chainName: Flag = {
  name: 'name',
  value: 'NAME',
  summary: 'the chain of this name instead of a directory; its data is in ~/.local/share/apichain/NAME',
  complete: 'chain',
};

/** The form of what a command prints. */
export const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  summary: 'text or json',
  default: 'text',
  complete: ['text', 'json'],
};

/** The console of a chain. */
export const consoleFlags: readonly Flag[] = [
  { name: 'console', summary: 'serves the console for the browsers of this machine, and prints a URL that logs in' },
  { name: 'console-port', value: 'PORT', summary: 'its port on 127.0.0.1; default: 6480, or the next free one' },
];

/** The kubeconfig of the core API. */
export const kubeconfigFlag: Flag = {
  name: 'kubeconfig',
  value: 'FILE',
  summary: 'of the core API; default: the file of $KUBECONFIG, else ~/.kube/config',
  complete: 'file',
};
