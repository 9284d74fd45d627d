import { StartupError } from '@apichain/chain/setup';

/** The value of a flag that is the URL of an API server. Throws StartupError for anything else. */
export function serverUrlOf(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return text;
  throw new StartupError(`--${flag}: "${text}" is no URL of a server, e.g. https://127.0.0.1:6443`);
}
