import assert from 'node:assert/strict';
import { missingLines, blocksOf } from './documented-commands/page.ts';
import { fencesOf } from './documented-commands/fences.ts';
import { documentedPages, followPages, isGuide } from './documented-commands/pages.ts';

describe('the commands of the documentation', function () {
  this.timeout(600_000);
  followPages(documentedPages.filter((page) => !isGuide(page)));

  it('are in blocks of "bash", and what they print in blocks of "text"', () => {
    const others = [...documentedPages, 'README.md'].flatMap((page) =>
      blocksOf(page).all.flatMap(({ language, line }) =>
        ['sh', 'shell', 'zsh', 'console'].includes(language) ? [`${page}:${line}: ${language}`] : [],
      ),
    );
    assert.deepEqual(others, []);
  });

  it('are told apart from other blocks, with their attributes', () => {
    const [file, commands] = fencesOf(
      'a\n```ts file=a.ts add\nx\n```\n\n```bash skip="no network" fails\nfalse\n```\n',
    );
    assert.deepEqual(file, { language: 'ts', attributes: { file: 'a.ts', add: '' }, text: 'x\n', line: 2 });
    assert.deepEqual(commands?.attributes, { skip: 'no network', fails: '' });
    const [inList] = fencesOf('1. a\n\n   ```bash\n   if true\n     then\n   ```\n');
    assert.equal(inList?.text, 'if true\n  then\n');
  });

  it('print what the pages say, but for numbers, times and what "..." stands for', () => {
    const printed = 'NAME   AGE\nweb-7f   12s\nerror: no such pod "b"\nat 2026-11-23T05:59:57Z\n';
    assert.deepEqual(missingLines('NAME AGE\nweb-... 4m2s\n\n...\nat 2025-01-01T00:00:00Z', printed), []);
    assert.deepEqual(missingLines('NAME AGE\nNAME AGE', printed), ['NAME AGE']);
    assert.deepEqual(missingLines('error: no such pod "a"', printed), ['error: no such pod "a"']);
  });
});
