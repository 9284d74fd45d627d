import { documentedPages, followPages, isGuide } from './documented-commands/pages.ts';

describe('the commands of the guides', function () {
  this.timeout(600_000);
  followPages(documentedPages.filter(isGuide));
});
