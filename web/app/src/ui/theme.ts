// Light or dark: as the system has it, or as somebody chose on this device.

export type Theme = 'system' | 'light' | 'dark'

export function setTheme(theme: Theme) {
  localStorage.setItem('kith.theme', theme)
  document.documentElement.dataset.theme = theme
}

export const theme = () => (localStorage.getItem('kith.theme') as Theme) ?? 'system'
