// What is used here of packages that bring no types.

declare module 'fontkit' {
  export interface Font {
    hasGlyphForCodePoint(code_point: number): boolean;
    layout(text: string): { readonly direction: 'ltr' | 'rtl' };
  }
  export function create(file: Buffer): Font;
}

declare module 'linebreak' {
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { readonly position: number; readonly required: boolean } | null;
  }
}
