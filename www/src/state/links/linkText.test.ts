import { describe, expect, it } from 'vitest';
import { isEmbed, isLinkText, unembedded } from './linkText.ts';

describe('a text', () => {
  it('is a link with or without the address of a page, and nothing else is', () => {
    for (const link of [
      '#chat-4xh100',
      'https://example.org/play/#v1.abc',
      'http://localhost:4173/?a=b#kv-pressure;t=3',
    ])
      expect(isLinkText(link)).toBe(true);
    for (const text of ['', '#', '# heading', 'see #12', 'https://example.org/', 'javascript:alert(1)#a'])
      expect(isLinkText(text)).toBe(false);
  });

  it('requests the run alone, and the same run has its own page', () => {
    expect(isEmbed('#embed')).toBe(true);
    expect(isEmbed('#embedded-preset')).toBe(false);
    expect(unembedded('#embed=ttft-over-time;kv-pressure;t=3')).toBe('#kv-pressure;t=3');
    expect(unembedded('#embed;v1.abc')).toBe('#v1.abc');
    expect(unembedded('#kv-pressure;t=3')).toBe('#kv-pressure;t=3');
  });
});
