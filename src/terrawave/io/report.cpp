// The page: HTML and CSS written here, curves by Chart.js inlined into it.
#include "terrawave/io/report.hpp"

#include <cmath>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/base64.hpp"

namespace terrawave::io {

std::string_view chart_js();  // generated from the installed Chart.js

namespace {

constexpr int kDataVersion = 1;  // of save() and load()

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6573;--line:#dde2e8;--page:#fff;--tint:#f5f7f9}
@media (prefers-color-scheme:dark){
 :root{--ink:#e3e8ee;--soft:#a3adba;--line:#39424e;--page:#14181e;--tint:#1f252d}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:2rem 1.2rem 4rem;background:var(--page);color:var(--ink);
 font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.7rem;margin:0 0 .4rem}
h2{font-size:1.2rem;margin:2.4rem 0 .6rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
p{margin:.5rem 0;max-width:72ch}
figure{margin:1rem 0}
figcaption{color:var(--soft);font-size:.9rem;margin-top:.4rem}
.picture{display:flex;gap:14px;align-items:stretch;max-width:100%}
.picture img{max-width:calc(100% - 110px);height:auto;border:1px solid var(--line);
 image-rendering:auto;display:block}
.picture.alone img{max-width:100%}
.bar{position:relative;min-width:96px;display:flex}
.bar .ramp{width:18px;border:1px solid var(--line)}
.bar .ticks{position:relative;flex:1;font-size:.78rem;font-variant-numeric:tabular-nums}
.bar .ticks span{position:absolute;left:6px;transform:translateY(-50%);white-space:nowrap}
.chart{position:relative;height:340px;max-width:900px}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{background:var(--tint);font-weight:600}
pre{background:var(--tint);padding:.8rem;overflow-x:auto;font-size:.85rem}
.svg svg{max-width:100%;height:auto}
)css";

// Charts take the page's colours, and follow when the reader's system changes between light and
// dark.
constexpr std::string_view kChartColors = R"js(
function pageColors(){const page=getComputedStyle(document.documentElement);
 Chart.defaults.color=page.getPropertyValue('--soft').trim();
 Chart.defaults.borderColor=page.getPropertyValue('--line').trim();}
pageColors();
matchMedia('(prefers-color-scheme:dark)').addEventListener('change',()=>{pageColors();
 for(const chart of Object.values(Chart.instances))chart.update();});
)js";

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string png_tag(const std::vector<std::uint8_t>& png, int width, int height,
                    const std::string& caption) {
  std::string tag =
      fmt::format(R"(<img alt="{}" width="{}" height="{}" src="data:image/png;base64,)",
                  escape(caption), width, height);
  append_base64(tag, std::as_bytes(std::span(png)));
  return tag + "\">";
}

std::string png_tag(const Image& image, const std::string& caption) {
  return png_tag(encode_png(image), image.width, image.height, caption);
}

// A vertical ramp with five labelled ticks.
std::string bar_html(const ColorBar& bar) {
  constexpr int kSteps = 48, kTicks = 5;
  std::string stops;
  for (int k = 0; k <= kSteps; ++k) {
    const auto c = color_of(bar.map, double(k) / kSteps, 0.0, 1.0);
    stops += fmt::format(",rgb({},{},{}) {:.1f}%", c[0], c[1], c[2], 100.0 * k / kSteps);
  }
  std::string ticks;
  for (int k = 0; k < kTicks; ++k) {
    const double part = double(k) / (kTicks - 1);
    double v = bar.low + part * (bar.high - bar.low);
    // The middle of a symmetric range is zero, not what rounding leaves of it.
    if (std::abs(v) < 1e-12 * std::max(std::abs(bar.low), std::abs(bar.high))) v = 0;
    const std::string label =
        bar.logarithmic ? fmt::format("{:.3g}", std::pow(10.0, v)) : fmt::format("{:.4g}", v);
    ticks += fmt::format(R"(<span style="top:{:.0f}%">{}</span>)", 100.0 * (1 - part), label);
  }
  return fmt::format(
      R"x(<div class="bar"><div class="ramp" style="background:linear-gradient(to top{})"></div><div class="ticks">{}</div></div>)x",
      stops, ticks);
}

nlohmann::json chart_json(const Chart& chart) {
  // Each has a contrast of at least 3 on the light and on the dark page.
  constexpr std::array<std::string_view, 8> kColors = {"#3b7dd8", "#d9604a", "#3f9a66", "#9a74c9",
                                                       "#b5851a", "#2f9aa8", "#c0629f", "#7a8796"};
  nlohmann::json sets = nlohmann::json::array();
  for (std::size_t c = 0; c < chart.curves.size(); ++c) {
    const Curve& curve = chart.curves[c];
    nlohmann::json points = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i)
      if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]))
        points.push_back({{"x", curve.x[i]}, {"y", curve.y[i]}});
    sets.push_back({{"label", curve.label},
                    {"data", std::move(points)},
                    {"showLine", !curve.points_only},
                    {"pointRadius", curve.points_only ? 3.0 : 0.0},
                    {"pointHitRadius", 6},
                    {"borderWidth", 1.6},
                    {"borderColor", kColors[c % kColors.size()]},
                    {"backgroundColor", kColors[c % kColors.size()]}});
  }
  const auto axis = [](const std::string& label, bool log) {
    return nlohmann::json{{"type", log ? "logarithmic" : "linear"},
                          {"title", {{"display", true}, {"text", label}}}};
  };
  return {{"type", "scatter"},
          {"data", {{"datasets", std::move(sets)}}},
          {"options",
           {{"animation", false},
            {"maintainAspectRatio", false},
            {"interaction", {{"mode", "nearest"}, {"intersect", false}}},
            {"plugins", {{"legend", {{"display", chart.curves.size() > 1}}}}},
            {"scales",
             {{"x", axis(chart.x_label, chart.log_x)}, {"y", axis(chart.y_label, chart.log_y)}}}}}};
}

// "</" inside a script would end it.
std::string script_safe(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  return text;
}

}  // namespace

Report::Report(std::string title) : title_(std::move(title)) {}

void Report::heading(const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n", escape(text));
}

void Report::text(const std::string& paragraph) {
  body_ += fmt::format("<p>{}</p>\n", escape(paragraph));
}

void Report::table(const std::vector<std::string>& header,
                   const std::vector<std::vector<std::string>>& rows) {
  body_ += R"(<div class="wide"><table><thead><tr>)";
  for (const auto& cell : header) body_ += fmt::format("<th>{}</th>", escape(cell));
  body_ += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    body_ += "<tr>";
    for (const auto& cell : row) body_ += fmt::format("<td>{}</td>", escape(cell));
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Report::chart(const std::string& caption, const Chart& chart) {
  const int id = charts_++;
  body_ += fmt::format(
      "<figure><div class=\"chart\"><canvas "
      "id=\"chart{}\"></canvas></div><figcaption>{}</figcaption>"
      "</figure>\n<script>new Chart(document.getElementById('chart{}'),{});</script>\n",
      id, escape(caption), id, script_safe(chart_json(chart).dump()));
}

void Report::picture(const std::string& caption, const Image& image) {
  body_ += fmt::format(
      "<figure><div class=\"picture alone\">{}</div><figcaption>{}</figcaption></figure>\n",
      png_tag(image, caption), escape(caption));
}

void Report::picture(const std::string& caption, const Image& image, const ColorBar& bar) {
  picture_png(caption, encode_png(image), image.width, image.height, bar);
}

void Report::picture_png(const std::string& caption, const std::vector<std::uint8_t>& png,
                         int width, int height, const ColorBar& bar) {
  body_ += fmt::format(
      "<figure><div class=\"picture\">{}{}</div><figcaption>{} — colours: "
      "{}</figcaption></figure>\n",
      png_tag(png, width, height, caption), bar_html(bar), escape(caption), escape(bar.label));
}

void Report::svg(const std::string& caption, const std::string& svg) {
  body_ += fmt::format("<figure class=\"svg\">{}<figcaption>{}</figcaption></figure>\n", svg,
                       escape(caption));
}

void Report::write(const std::filesystem::path& file) const {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n",
      escape(title_), kStyle);
  if (charts_ > 0)
    page += "<script>" + script_safe(std::string(chart_js()) + std::string(kChartColors)) +
            "</script>\n";
  page += fmt::format("</head><body>\n<h1>{}</h1>\n{}</body></html>\n", escape(title_), body_);
  write_text(file, page);
}

void Report::save(const std::filesystem::path& file) const {
  const nlohmann::ordered_json data = {
      {"report", kDataVersion}, {"title", title_}, {"charts", charts_}, {"body", body_}};
  write_text(file, data.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Report Report::load(const std::filesystem::path& file) {
  try {
    std::ifstream in(file, std::ios::binary);
    const nlohmann::json data = nlohmann::json::parse(in);
    if (data.at("report") != kDataVersion)
      throw InputError(file.string() + ": written by another version of terrawave");
    Report report(data.at("title").get<std::string>());
    report.charts_ = data.at("charts");
    report.body_ = data.at("body");
    return report;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(file.string() + ": not the data of a report: " + e.what());
  }
}

}  // namespace terrawave::io
