// Catches what GDAL would print, for our own messages.
#pragma once

#include <string>

#include <cpl_error.h>

namespace terrawave::io {

// While it lives, errors of this thread are collected instead of printed.
class GdalMessages {
 public:
  GdalMessages() { CPLPushErrorHandlerEx(&GdalMessages::take, this); }
  ~GdalMessages() { CPLPopErrorHandler(); }
  GdalMessages(const GdalMessages&) = delete;
  GdalMessages& operator=(const GdalMessages&) = delete;
  bool failed() const { return failed_; }
  // The first error (what follows is mostly its echo).
  std::string text() const { return text_.empty() ? "no reason given" : text_; }

 private:
  static void CPL_STDCALL take(CPLErr severity, CPLErrorNum, const char* message) {
    auto& self = *static_cast<GdalMessages*>(CPLGetErrorHandlerUserData());
    if (severity != CE_Failure && severity != CE_Fatal) return;
    self.failed_ = true;
    if (!self.text_.empty()) return;
    self.text_ = message;
    while (!self.text_.empty() && (self.text_.back() == '\n' || self.text_.back() == ' '))
      self.text_.pop_back();
  }
  bool failed_ = false;
  std::string text_;
};

}  // namespace terrawave::io
