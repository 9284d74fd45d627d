import { anyDelimiter, zPageHead, type ZPage } from './zpage.ts';

/** `/flagz`: the flags of the process and their values. Flags contain no secrets, only the names of files with secrets. */
export function flagz(flags: () => Readonly<Record<string, string>>): ZPage {
  let text: string | undefined;
  const makeText = () => {
    const delimiter = anyDelimiter();
    const lines = Object.entries(flags()).map(([name, value]) => `${name}${delimiter}${value}\n`);
    return `${zPageHead('flagz')}${lines.join('')}`;
  };
  return { kind: 'Flagz', text: () => (text ??= makeText()), members: () => ({ flags: flags() }) };
}
